"""Which servers a client of ours trusts, and why a server cannot be reached, in plain words."""

import os
import socket
import ssl
from pathlib import Path
from typing import Final

import aiohttp

from progressive.runtime.plain_errors import CannotRunError, in_words, tls_in_words

# X509_V_ERR_*: nobody whom this machine trusts has signed the certificate.
_UNKNOWN_ISSUER: Final = frozenset({18, 19, 20, 21})


def trusting(ca: Path | None) -> ssl.SSLContext | bool:
    """What the machine trusts and, with a file, a private CA as well; for `TCPConnector(ssl=…)`.

    Raises CannotRunError where the file holds no certificates.
    """
    if ca is None:
        return True
    context = ssl.create_default_context()
    try:
        # OpenSSL does not say which file it could not open.
        ca.open("rb").close()
        context.load_verify_locations(ca)
    except ssl.SSLError:
        raise CannotRunError(f"--ca {ca}: not a PEM file of certificates") from None
    except OSError as error:
        raise CannotRunError(f"--ca {in_words(error)}") from None
    return context


def unreachable_in_words(error: BaseException) -> str:
    """Why a request to a server failed."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return _distrust(error.host, error.certificate_error)
        case aiohttp.ClientConnectorSSLError():
            return f"{error.host}:{error.port} does not answer with TLS ({_tls(error.os_error)})"
        case aiohttp.ClientConnectorDNSError():
            return f"unknown host {error.host!r}"
        case UnicodeError():
            # A name that no host can have: `a..b`.
            return "unknown host"
        case aiohttp.ClientConnectorError():
            return _os_words(error.os_error)
        case aiohttp.ServerDisconnectedError():
            return "the connection was closed without an answer"
        case aiohttp.WSServerHandshakeError():
            return f"answered with status {error.status}"
        case TimeoutError():
            return "no answer in time"
        case OSError():
            return _os_words(error)
        case _:
            return str(error) or type(error).__name__


def _distrust(host: str, error: Exception) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of {host} is not trusted: {error}"
    hint = " (--ca FILE trusts a private CA)" if error.verify_code in _UNKNOWN_ISSUER else ""
    return f"the certificate of {host} is not trusted: {tls_in_words(error)}{hint}"


def _tls(error: OSError) -> str:
    return tls_in_words(error) if isinstance(error, ssl.SSLError) else str(error)


def _os_words(error: OSError) -> str:
    if error.errno is not None and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno)
    return in_words(error)
