"""TLS by configuration: the service's certificate, and certificates for tables as an option."""

import asyncio
import ssl
from pathlib import Path

from msgspec import Struct

from progressive.runtime.plain_errors import in_words


class BadTlsError(ValueError):
    """The files do not make a TLS context; the message says which."""


class TlsFiles(Struct, frozen=True):
    """PEM files."""

    certificate: Path
    """With the chain up to, not including, the root."""
    key: Path
    client_ca: Path | None = None
    """Whose certificates tables must show; None where a table's key is enough."""


def tls_context(files: TlsFiles) -> ssl.SSLContext:
    """TLS 1.2 or newer; raises BadTlsError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _require_readable(files)
    try:
        # A key under a password would stop the start with a question nobody sees.
        context.load_cert_chain(files.certificate, files.key, password="")
    except (OSError, ValueError) as error:
        raise BadTlsError(_why_no_pair(files, error)) from None
    if files.client_ca is not None:
        try:
            context.load_verify_locations(files.client_ca)
        except (OSError, ValueError):
            raise BadTlsError(f"{files.client_ca}: not a PEM file of certificates") from None
        # Signs and people have none; whoever shows one must show a good one.
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def _require_readable(files: TlsFiles) -> None:
    """OpenSSL does not say which file it could not open."""
    for file in (files.certificate, files.key, files.client_ca):
        if file is not None:
            try:
                file.open("rb").close()
            except OSError as error:
                raise BadTlsError(in_words(error)) from None


def _why_no_pair(files: TlsFiles, error: Exception) -> str:
    """What is wrong with a certificate and its key, in words that OpenSSL does not have."""
    if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
        return f"{files.certificate} and {files.key} do not belong together (mismatch)"
    try:
        # Any certificate can be trusted, so this fails only where there is none.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(files.certificate)
    except (OSError, ValueError):
        return f"{files.certificate}: not a PEM certificate"
    return f"{files.key}: not a PEM private key without a password"


def common_name(transport: asyncio.Transport | None) -> str | None:
    """The name in the certificate that the peer has shown and proved, or None."""
    shown = None if transport is None else transport.get_extra_info("peercert")
    names = [
        value
        for part in (shown or {}).get("subject", ())
        for field, value in part
        if field == "commonName"
    ]
    return names[0] if len(names) == 1 else None
