"""A certificate authority of our own, for services that speak TLS in tests."""

import ssl
from pathlib import Path

import trustme


class Certificates:
    """A small authority of our own, as PEM files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.authority = trustme.CA()
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(self.ca)
        self.cert, self.key = self.issue("127.0.0.1")

    def issue(self, name: str, authority: trustme.CA | None = None) -> tuple[Path, Path]:
        issued = (authority or self.authority).issue_cert("127.0.0.1", common_name=name)
        cert, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        cert.unlink(missing_ok=True)
        for blob in issued.cert_chain_pems:
            blob.write_to_path(cert, append=True)
        issued.private_key_pem.write_to_path(key)
        return cert, key

    def trusting(self, shown: tuple[Path, Path] | None = None) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.ca)
        if shown is not None:
            context.load_cert_chain(*shown)
        return context

    @property
    def options(self) -> tuple[str | Path, ...]:
        return ("--tls-cert", self.cert, "--tls-key", self.key)
