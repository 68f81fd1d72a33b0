"""`guard-proxy keys new TENANT`."""

import typer

from policies.schema.keys import new_key
from proxy.cli.output import fail, out

keys = typer.Typer(help="API keys of tenants.", no_args_is_help=True)


@keys.callback()
def _group() -> None:
    """Keep `new` a command of its own although it is the only one."""


@keys.command()
def new(tenant: str = typer.Argument(help="Name of the tenant.")) -> None:
    """Make a key: shows it once, and the line for the tenant's policy file."""
    try:
        key, hashed = new_key(tenant)
    except ValueError as error:
        fail(str(error))
    out.print("The key, shown only now. Give it to the app as OPENAI_API_KEY:", style="bold")
    out.print(f"  {key}", markup=False)
    out.print(f"The line for `keys:` in the policy file of {tenant}:", style="bold")
    out.print(f"  - {hashed}", markup=False)
