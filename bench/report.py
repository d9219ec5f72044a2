def write(path, data):
    pass
