"""An answer held against its sources: the report that `/v1/verify` and the library give."""
