"""Cases, their inputs, and a process per side that times them."""
