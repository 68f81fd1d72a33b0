"""The operator's desk: web pages that the proxy serves under `/dashboard`."""
