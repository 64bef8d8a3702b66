"""Runs the merchant checks of spck against a shop, and prints the result of each as JSON.

    python3 spck-run.py <folder of spck> <settings.json>

Nothing of spck is changed on disk, and every check is its own. Four things are set before the checks run:

- Names of the test lead to ports of this machine, and the certificate of the test is trusted.
- A purchase has a buyer with an e-mail address and a whole postal address. A Gatehouse shop needs them, and a
  platform may send them; spck's own requests are for a shop that asks for neither.
- Payments of spck's own reference shop are replaced by the one in the configuration.
- The platform that waits for webhooks can name where goods are sent, because this shop sends what it sells.
"""

import importlib
import json
import pathlib
import socket
import ssl
import sys

suite, settings_file = sys.argv[1:]
settings = json.loads(pathlib.Path(settings_file).read_text())
ports = json.loads(pathlib.Path(settings["portsFile"]).read_text())
config = settings["config"]
purchase = settings["purchase"]

checks = pathlib.Path(suite) / "conformance" / "checks"
sys.path[:0] = [str(checks), str(checks.parent / "selfcheck")]


def lead_names():
    """Leads connections to port 443 of a name of the test to the port that answers for it."""
    create_connection = socket.create_connection

    def connect(address, *args, **kwargs):
        host, port = address
        if port == 443 and host in ports:
            address = ("127.0.0.1", ports[host])
        return create_connection(address, *args, **kwargs)

    socket.create_connection = connect


def trust(certificate):
    """Trusts the certificate of the test, whatever bundle this Python has."""
    context = ssl.create_default_context(cafile=certificate)
    # From Python 3.13 on an authority must name its use; the test's certificate is its own authority.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    importlib.import_module("engine")._SSL_CTX = context


def send_whole_purchases():
    """Adds the buyer, the address and the payment of the configuration to what spck sends."""
    core = importlib.import_module("merchant_checks")
    plain = core._create_payload

    def create_payload(ctx, with_fulfillment=False):
        body = {**plain(ctx, with_fulfillment), "buyer": purchase["buyer"]}
        for method in body.get("fulfillment", {}).get("methods", []):
            for destination in method["destinations"]:
                destination.update(purchase["address"])
        return body

    # Before other modules are imported: they take the function by its name.
    core._create_payload = create_payload
    receiver = importlib.import_module("merchant_checks_04_08_receiver")
    line = receiver._line

    def line_of(ctx, qty=1):
        method = {
            "type": "shipping",
            "destinations": [purchase["address"]],
            "groups": [{"selected_option_id": config["fulfillment_option_id"]}],
        }
        fulfillment = {"methods": [method]}
        return {**line(ctx, qty), "buyer": purchase["buyer"], "fulfillment": fulfillment}

    receiver._line = line_of
    receiver._success_pay = lambda: config["complete_payment"]


def receive_webhooks():
    """Lets the platform that waits for webhooks name where goods are sent."""
    harness = importlib.import_module("webhook_harness")
    plain = harness.platform_profile_0408
    names = [f"dev.ucp.shopping.{name}" for name in ("checkout", "order", "fulfillment")]

    def profile(webhook_url, version="2026-04-08", capabilities=None):
        return plain(webhook_url, version, capabilities or names)

    harness.platform_profile_0408 = profile


lead_names()
trust(settings["certFile"])
send_whole_purchases()
receive_webhooks()
merchant = importlib.import_module("merchant")
context, _, areas = merchant.report(settings["server"], config)
_, results = merchant.run_conformance(context, areas)
print(
    json.dumps(
        [
            {
                "id": check.id,
                "status": str(result["status"]),
                # Whether the check notices each defect that spck puts into the answer.
                "sound": result["kill_safe"],
                "observed": result.get("observed"),
            }
            for check, result in results
        ]
    )
)
