"""One folder a technology, each behind ports of `application`. Nothing here decides about money."""
