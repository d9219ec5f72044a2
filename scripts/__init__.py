"""The tools of the project; README.md has the map of the folders."""
