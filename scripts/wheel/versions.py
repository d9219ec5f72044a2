"""The released Paddles that the wheel target is for."""

NAME = 'paddlepaddle'
BASE = '3.3.1'
SERVED = (BASE, '3.3.0')
