"""Tools of the project; README.md lists the folders."""
