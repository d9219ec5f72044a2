"""What the results say: summary, tables, charts, the page."""
