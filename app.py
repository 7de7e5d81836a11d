"""Builds the stack from cdk.json: for the CDK command line, whose `-c name=value` comes before what the file
says, or by itself."""

import json
from pathlib import Path

from aws_cdk import App

from infra.settings import DeploymentSettings, refuse_unknown
from infra.stack import NotedStack

app = App(context=json.loads(Path(__file__).with_name("cdk.json").read_text())["context"])
refuse_unknown(app.node.get_all_context())
NotedStack(app, "Noted", DeploymentSettings.from_context(app.node.try_get_context))
app.synth()
