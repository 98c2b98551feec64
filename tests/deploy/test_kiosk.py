"""The kiosk's files: they install, they parse, and the browser they start finds its sign."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import ARGUMENTS, a_browser, chromium_path
from tests.support.service import ROOT, ServiceProcess

KIOSK = ROOT / "deploy" / "kiosk"
URL = "http://signs.example:8080/sign/entrance?key=k-1&theme=neon"
EXPECT_MS = 30_000


def install(*options: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [KIOSK / "install.sh", *map(str, options)], capture_output=True, text=True, check=False
    )


def tree(root: Path) -> dict[str, tuple[int, bytes, int]]:
    """Every file: mode, content, and when it was written."""
    return {
        str(path.relative_to(root)): (
            path.stat().st_mode,
            path.read_bytes(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


# --- installing -------------------------------------------------------------------------------


def test_installing_twice_is_installing_once(tmp_path: Path) -> None:
    first = install("--root", tmp_path, "--url", URL)
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    installed = tree(tmp_path)
    assert install("--root", tmp_path, "--url", URL).returncode == 0
    assert tree(tmp_path) == installed
    settings = tmp_path / "etc" / "progressive-kiosk.env"
    assert settings.read_text().splitlines()[-1] == f"SIGN_URL={URL}"
    # The address may hold a key.
    assert settings.stat().st_mode & 0o777 == 0o600


def test_a_new_version_keeps_the_settings(tmp_path: Path) -> None:
    install("--root", tmp_path, "--url", URL)
    settings = tmp_path / "etc" / "progressive-kiosk.env"
    settings.write_text(settings.read_text() + "DEBUG_PORT=9333\n")
    page = tmp_path / "usr" / "lib" / "progressive-kiosk" / "waiting.html"
    page.write_text("an older one")
    kept = settings.read_text()
    install("--root", tmp_path)
    assert settings.read_text() == kept
    assert page.read_bytes() == (KIOSK / "waiting.html").read_bytes()
    install("--root", tmp_path, "--url", "https://other/sign/pit")
    assert settings.read_text() == kept.replace(URL, "https://other/sign/pit")


def test_a_dry_run_tells_and_does_nothing(tmp_path: Path) -> None:
    told = install("--dry-run", "--root", tmp_path, "--url", URL)
    assert told.returncode == 0
    assert "progressive-kiosk.service" in told.stdout
    assert tree(tmp_path) == {}
    whole = install("--dry-run")
    assert whole.returncode == 0
    assert "would: systemctl enable --now progressive-kiosk.service" in whole.stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--url", "signs.example"),
        ("--url", "ftp://signs.example/sign/a"),
        ("--url", "http://signs.example/sign/a b"),
        ("--url", "http://signs.example/sign/$(id)"),
        ("--url", "http://signs.example/sign/a\nX=1"),
        ("--url", 'http://signs.example/sign/"'),
        ("--sign", "entrance"),
    ],
)
def test_a_bad_address_is_refused_before_anything_is_done(
    tmp_path: Path, options: tuple[str, str]
) -> None:
    assert install("--root", tmp_path, *options).returncode == 2
    assert tree(tmp_path) == {}


# --- the files themselves ---------------------------------------------------------------------


def test_the_unit_restarts_for_ever_and_is_watched() -> None:
    lines = (KIOSK / "progressive-kiosk.service").read_text().splitlines()
    for line in (
        "StartLimitIntervalSec=0",
        "Restart=always",
        "WatchdogSec=90",
        "NotifyAccess=all",
        "PAMName=login",
        "EnvironmentFile=/etc/progressive-kiosk.env",
        "ExecStart=/usr/lib/progressive-kiosk/run",
    ):
        assert line in lines
    assert not any("network-online" in line for line in lines if not line.startswith("#"))


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """Where its checker is installed; elsewhere the lines above have to do."""
    units = Path("/usr/lib/systemd/system")
    if shutil.which("systemd-analyze") is None or not (units / "sysinit.target").exists():
        return
    install("--root", tmp_path)
    shutil.copytree(units, tmp_path / units.relative_to("/"), symlinks=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    verified = subprocess.run(
        ["systemd-analyze", "verify", f"--root={tmp_path}", "progressive-kiosk.service"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("script", ["install.sh", "run"])
def test_the_scripts_are_sound(script: str) -> None:
    checker = shutil.which("shellcheck")
    check = [checker, KIOSK / script] if checker else ["sh", "-n", KIOSK / script]
    checked = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    assert os.access(KIOSK / script, os.X_OK)


@pytest.mark.parametrize(
    ("sign_url", "trusted"),
    [
        ("http://10.0.0.5:8080/sign/entrance", ["http://10.0.0.5:8080"]),
        ("http://meters/sign/entrance?key=k", ["http://meters"]),
        ("https://meters.example/sign/entrance", []),
    ],
)
def test_a_sign_over_plain_http_may_be_kept_for_a_start_without_a_network(
    tmp_path: Path, sign_url: str, trusted: list[str]
) -> None:
    for name, lines in {"cage": 'printf "%s\\n" "$@"', "python3": "exit 0"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    told = subprocess.run(
        [KIOSK / "run"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "SIGN_URL": sign_url},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    flag = "--unsafely-treat-insecure-origin-as-secure="
    assert [each.removeprefix(flag) for each in told if each.startswith(flag)] == trusted
    assert told[-1].endswith(f"/waiting.html#{sign_url}")


def test_the_policies_are_json() -> None:
    assert json.loads((KIOSK / "policies.json").read_text())["TranslateEnabled"] is False


# --- the waiting page -------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def waiting_page(sign_url: str, query: str = "") -> str:
    return f"{(KIOSK / 'waiting.html').as_uri()}{query}#{sign_url}"


async def is_live(page: Page) -> None:
    await expect(page.locator("body")).to_have_attribute("data-state", "live", timeout=EXPECT_MS)


@pytest.mark.browser
@pytest.mark.slow
async def test_a_kiosk_that_boots_before_its_server_waits_and_then_shows_the_sign(
    tmp_path: Path,
) -> None:
    port = free_port()
    sign_url = f"http://127.0.0.1:{port}/sign/entrance"
    async with a_browser() as browser:
        page = await browser.new_page()
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        await page.goto(waiting_page(sign_url))
        await expect(page.locator("#detail")).to_contain_text(f"127.0.0.1:{port}")
        text = await page.inner_text("body")
        assert "Waiting for the sign server" in text
        assert "$" not in text
        with ServiceProcess(tmp_path / "data", port=port):
            await is_live(page)
            assert page.url == sign_url
        assert said == []


@pytest.mark.browser
@pytest.mark.slow
async def test_a_kiosk_that_was_sent_back_waits_for_an_answer(tmp_path: Path) -> None:
    port = free_port()
    plain = f"http://127.0.0.1:{port}/sign/entrance"
    with_key = f"{plain}?key=k-1"
    async with a_browser() as browser:
        kiosk = await browser.new_context()
        page = await kiosk.new_page()
        with ServiceProcess(tmp_path / "data", port=port):
            await page.goto(waiting_page(with_key))
            await is_live(page)
        # Known from before: straight to the browser's own copy of it, which knows no key.
        page = await kiosk.new_page()
        async with page.expect_request(plain):
            await page.goto(waiting_page(with_key))
        # Should there be none, what watches the kiosk sends it back, and then it stays.
        page = await kiosk.new_page()
        await page.goto(waiting_page(with_key, "?again"))
        await expect(page.locator("#detail")).to_have_text(
            f"127.0.0.1:{port} · 2", timeout=EXPECT_MS
        )
        with ServiceProcess(tmp_path / "data", port=port):
            await is_live(page)


@pytest.mark.browser
@pytest.mark.slow
async def test_a_kiosk_without_an_address_says_what_is_missing() -> None:
    async with a_browser() as browser:
        page = await browser.new_page()
        for wrong in ("", "javascript:alert(1)", "nonsense"):
            await page.goto("about:blank")
            await page.goto(waiting_page(wrong))
            await expect(page.locator("#detail")).to_contain_text("SIGN_URL")


# --- what watches the browser -----------------------------------------------------------------


def load_watch() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kiosk_watch", KIOSK / "watch.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def a_kiosk(folder: Path, sign_url: str, notify: Path) -> Iterator[int]:
    """`run` itself, on a machine without a screen: cage only starts its window, which is hidden."""
    tools = folder / "bin"
    tools.mkdir()
    for name, lines in {
        "cage": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
        "chromium": f'exec {chromium_path()} --headless {" ".join(ARGUMENTS)} "$@"',
        "python3": f'exec {sys.executable} "$@"',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tools / name).chmod(0o755)
    port = free_port()
    environment = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "SIGN_URL": sign_url,
        "DEBUG_PORT": str(port),
        "STATE_DIRECTORY": str(folder),
        "NOTIFY_SOCKET": str(notify),
        "LOOK_SECONDS": "0.5",
    }
    process = subprocess.Popen(
        [KIOSK / "run"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield port
    finally:
        # As systemd does: all of the unit.
        os.killpg(process.pid, 9)
        process.wait()


@pytest.mark.browser
@pytest.mark.slow
def test_systemd_hears_that_the_page_answers_and_that_it_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = load_watch()
    # Where a socket's path may be long, it may still not be as long as a test's folder.
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd,
        ServiceProcess(tmp_path / "data") as service,
    ):
        address = f"@kiosk-test-{os.getpid()}"
        systemd.bind("\0" + address[1:])
        systemd.settimeout(60)
        sign_url = f"{service.url}/sign/entrance"
        with a_kiosk(tmp_path, sign_url, Path(address)) as port:
            assert systemd.recv(64) == b"WATCHDOG=1"
            shows_the_sign(watch, port, systemd)
            # Somewhere else, and left there: it is sent back to wait, and finds its sign again.
            with watch.page_socket(port) as page:
                page.ask("Page.navigate", url=f"{service.url}/healthz")
            shows_the_sign(watch, port, systemd)
            # A page that hangs is told of by silence.
            monkeypatch.setattr(watch, "ANSWER_SECONDS", 1.0)
            with watch.page_socket(port) as page, pytest.raises((OSError, watch.PageSilentError)):
                page.ask("Runtime.evaluate", expression="for (;;) {}")
            with pytest.raises((OSError, watch.PageSilentError)):
                watch.look(port, sign_url, 0)


def shows_the_sign(watch: ModuleType, port: int, systemd: socket.socket) -> None:
    """While systemd goes on hearing of it; so many looks are a safety net."""
    for _ in range(120):
        assert systemd.recv(64) == b"WATCHDOG=1"
        with watch.page_socket(port) as page:
            answer = page.ask("Runtime.evaluate", expression=watch.WHAT_IS_SHOWN)
        if answer["result"]["result"].get("value") == "sign":
            return
    pytest.fail("the page does not show the sign")
