"""Policy files: their schema, loading, inheritance and reloading."""
