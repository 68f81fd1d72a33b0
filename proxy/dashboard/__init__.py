"""The dashboard: web pages for operators under `/dashboard`."""
