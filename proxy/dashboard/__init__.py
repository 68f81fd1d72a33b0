"""The operator's visit: web pages that the proxy serves under `/dashboard`."""
