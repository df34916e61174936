"""Exits 0 when the address in argv[1] answers 200."""

import sys
from http import HTTPStatus
from urllib.error import URLError
from urllib.request import urlopen

try:
    with urlopen(sys.argv[1], timeout=4) as answer:  # noqa: S310 the image names the address
        sys.exit(answer.status != HTTPStatus.OK)
except (URLError, OSError):
    sys.exit(1)
