"""What the conformance suites want every server to have, added to PCKC's own server in tests alone."""

import base64
import json
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources import BinaryResource, TextResource
from mcp.server.mcpserver.tools import Tool
from mcp_types import (
    AudioContent,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    MissingRequiredClientCapabilityErrorData,
    SamplingCapability,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

AnyContext = Context[Any, Any]

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
WAV = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0\2\0\x10\0data\0\0\0\0"

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
OK = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
USER = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
    "required": [],
}
_TITLED = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
_CHOICES = [{"const": f"value{n}", "title": f"{word} Choice"} for n, word in enumerate(("First", "Second", "Third"), 1)]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": _CHOICES}},
    },
    "required": [],
}
SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def add_fixtures(server: MCPServer[Any]) -> None:
    """Add every tool, resource, prompt and handler that a required scenario asks for."""
    _add_contents(server)
    _add_conversations(server)
    _add_input_required(server)
    _add_resources(server)
    _add_prompts(server)
    _add_handlers(server)


def _image() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png")


def _resource(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _add_contents(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    def test_simple_text() -> str:
        """Answer a text."""
        return "This is a simple text response for testing."

    @server.tool(structured_output=False)
    def test_image_content() -> ImageContent:
        """Answer an image."""
        return _image()

    @server.tool(structured_output=False)
    def test_audio_content() -> AudioContent:
        """Answer a sound."""
        return AudioContent(type="audio", data=base64.b64encode(WAV).decode(), mime_type="audio/wav")

    @server.tool(structured_output=False)
    def test_embedded_resource() -> EmbeddedResource:
        """Answer a resource."""
        return _resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")

    @server.tool(structured_output=False)
    def test_multiple_content_types() -> list[Any]:
        """Answer a text, an image and a resource."""
        data = json.dumps({"test": "data", "value": 123})
        mixed = _resource("test://mixed-content-resource", "application/json", data)
        return [_text("Multiple content types test:"), _image(), mixed]

    @server.tool(structured_output=False)
    def test_error_handling() -> str:
        """Fail."""
        raise ToolError("This tool intentionally returns an error for testing")

    listed = Tool.from_function(test_simple_text, name="json_schema_2020_12_tool", structured_output=False)
    server._tool_manager._tools["json_schema_2020_12_tool"] = listed.model_copy(update={"parameters": SCHEMA_2020_12})

    @server.tool(structured_output=False)
    def test_missing_capability(ctx: AnyContext) -> str:
        """Ask for a capability that the client has not."""
        if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
            from mcp.shared.exceptions import MCPError
            from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

            wanted = ClientCapabilities(sampling=SamplingCapability())
            data = MissingRequiredClientCapabilityErrorData(required_capabilities=wanted)
            raise MCPError(
                MISSING_REQUIRED_CLIENT_CAPABILITY,
                "Client did not declare sampling",
                data.model_dump(by_alias=True, mode="json", exclude_none=True),
            )
        return "The client can sample."


def _add_conversations(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_tool_with_logging(ctx: AnyContext) -> str:
        """Log three messages."""
        for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.session.send_log_message("info", message, related_request_id=ctx.request_id)
            await anyio.sleep(0.05)
        return "Logged."

    @server.tool(structured_output=False)
    async def test_tool_with_progress(ctx: AnyContext) -> str:
        """Tell three steps."""
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100)
            await anyio.sleep(0.05)
        return "Done."

    @server.tool(structured_output=False)
    async def test_sampling(prompt: str, ctx: AnyContext) -> str:
        """Let the client's model answer."""
        message = SamplingMessage(role="user", content=_text(prompt))
        result = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
        return f"LLM response: {getattr(result.content, 'text', '')}"

    async def elicit(ctx: AnyContext, message: str, schema: dict[str, Any]) -> str:
        result = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
        return f"action={result.action}, content={json.dumps(result.content)}"

    @server.tool(structured_output=False)
    async def test_elicitation(message: str, ctx: AnyContext) -> str:
        """Ask the user."""
        return f"User response: {await elicit(ctx, message, USER)}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1034_defaults(ctx: AnyContext) -> str:
        """Ask the user, with defaults."""
        return f"Elicitation completed: {await elicit(ctx, 'Please review the defaults', DEFAULTS)}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1330_enums(ctx: AnyContext) -> str:
        """Ask the user to choose."""
        return f"Elicitation completed: {await elicit(ctx, 'Please choose', ENUMS)}"

    @server.tool(structured_output=False)
    async def test_reconnection(ctx: AnyContext) -> str:
        """Close the stream, then answer on the next one."""
        await ctx.close_sse_stream()
        await anyio.sleep(0.1)
        return "Reconnected."


def _asked(message: str, schema: dict[str, Any]) -> ElicitRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sampled(text: str, most: int) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=_text(text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=most))


def _given(ctx: AnyContext, *keys: str) -> dict[str, Any] | None:
    """Return the client's answers once all are there; a form must have been accepted."""
    answers = dict(ctx.input_responses or {})
    if not all(key in answers for key in keys):
        return None
    return answers


def _form(answer: Any) -> dict[str, Any]:
    return dict(getattr(answer, "content", None) or {})


def _add_input_required(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_input_required_result_elicitation(ctx: AnyContext) -> Any:
        """Ask for a name."""
        answers = _given(ctx, "user_name")
        name = _form(answers["user_name"]).get("name") if answers else None
        if not isinstance(name, str):
            return InputRequiredResult(input_requests={"user_name": _asked("What is your name?", NAME)})
        return [_text(f"Hello, {name}!")]

    @server.tool(structured_output=False)
    async def test_input_required_result_sampling(ctx: AnyContext) -> Any:
        """Ask the client's model."""
        answers = _given(ctx, "capital_question")
        if answers is None:
            question = _sampled("What is the capital of France?", 100)
            return InputRequiredResult(input_requests={"capital_question": question})
        return [_text(f"{getattr(answers['capital_question'].content, 'text', '')}")]

    @server.tool(structured_output=False)
    async def test_input_required_result_list_roots(ctx: AnyContext) -> Any:
        """Ask for the client's roots."""
        answers = _given(ctx, "client_roots")
        if answers is None:
            return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
        return [_text(" ".join(str(root.uri) for root in answers["client_roots"].roots))]

    @server.tool(structured_output=False)
    async def test_input_required_result_request_state(ctx: AnyContext) -> Any:
        """Ask for a confirmation, with state."""
        if _given(ctx, "confirm") is None or ctx.request_state != "waiting":
            asked = {"confirm": _asked("Please confirm", OK)}
            return InputRequiredResult(input_requests=asked, request_state="waiting")
        return [_text("state-ok")]

    @server.tool(structured_output=False)
    async def test_input_required_result_multiple_inputs(ctx: AnyContext) -> Any:
        """Ask three things at once."""
        if _given(ctx, "user_name", "greeting", "client_roots") is None:
            return InputRequiredResult(
                input_requests={
                    "user_name": _asked("What is your name?", NAME),
                    "greeting": _sampled("Generate a greeting", 50),
                    "client_roots": ListRootsRequest(),
                },
                request_state="three",
            )
        return [_text("All three were answered.")]

    @server.tool(structured_output=False)
    async def test_input_required_result_multi_round(ctx: AnyContext) -> Any:
        """Ask one thing after another."""
        if ctx.request_state == "two" and _given(ctx, "step2") is not None:
            return [_text("Both steps were answered.")]
        if ctx.request_state == "one" and _given(ctx, "step1") is not None:
            colour = {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
            asked = {"step2": _asked("Step 2: What is your favorite color?", colour)}
            return InputRequiredResult(input_requests=asked, request_state="two")
        asked = {"step1": _asked("Step 1: What is your name?", NAME)}
        return InputRequiredResult(input_requests=asked, request_state="one")

    @server.tool(structured_output=False)
    async def test_input_required_result_tampered_state(ctx: AnyContext) -> Any:
        """Ask for a confirmation, with state that must come back as it was."""
        if ctx.request_state is None:
            return InputRequiredResult(input_requests={"confirm": _asked("Please confirm", OK)}, request_state="sealed")
        return [_text("state-ok")]

    @server.tool(structured_output=False)
    async def test_input_required_result_capabilities(ctx: AnyContext) -> Any:
        """Ask only what the client can answer."""
        able = ctx.client_capabilities or ClientCapabilities()
        asked: dict[str, Any] = {}
        if able.elicitation is not None:
            asked["user_name"] = _asked("What is your name?", NAME)
        if able.sampling is not None:
            asked["greeting"] = _sampled("Generate a greeting", 50)
        if not asked or ctx.input_responses:
            return [_text("Nothing more to ask.")]
        return InputRequiredResult(input_requests=asked)


def _add_resources(server: MCPServer[Any]) -> None:
    server.add_resource(
        TextResource(
            uri="test://static-text", name="static-text", description="A text", mime_type="text/plain",
            text="This is the content of the static text resource.",
        )
    )  # fmt: skip
    server.add_resource(
        BinaryResource(
            uri="test://static-binary", name="static-binary", description="A picture", mime_type="image/png", data=PNG
        )
    )
    server.add_resource(
        TextResource(uri="test://watched-resource", name="watched", description="To subscribe to", text="Watched.")
    )

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        """Answer data of an id."""
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt()
    def test_simple_prompt() -> str:
        """Say something simple."""
        return "This is a simple prompt for testing."

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        """Say the arguments."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:  # noqa: N803 - the suite's name
        """Show a resource."""
        shown = _resource(resourceUri, "text/plain", "Embedded resource content for testing.")
        return [shown, _text("Please process the embedded resource above.")]

    @server.prompt()
    def test_prompt_with_image() -> list[Any]:
        """Show a picture."""
        return [_image(), _text("Please analyze the image above.")]

    @server.prompt()
    async def test_input_required_result_prompt(ctx: AnyContext) -> Any:
        """Ask for a context."""
        if _given(ctx, "user_context") is None:
            schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
            asked = {"user_context": _asked("What context should the prompt use?", schema)}
            return InputRequiredResult(input_requests=asked)
        return "The context was given."


def _add_handlers(server: MCPServer[Any]) -> None:
    """Add what PCKC has no use for: it logs to stderr, and its resources are made anew each time they are read."""
    handlers = server._lowlevel_server

    async def accept(_: Any, __: Any) -> EmptyResult:
        return EmptyResult()

    handlers.add_request_handler("logging/setLevel", SetLevelRequestParams, accept)
    handlers.add_request_handler("resources/subscribe", SubscribeRequestParams, accept)
    handlers.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, accept)
