"""Toadstone for Hermes: what tools give is screened, what is called is checked, what the user says is heard. It stands in the folder plugins of Hermes,
where `toadstone setup --agent hermes` puts it. Whatever cannot be asked is refused."""
import json
import os
import subprocess

COMMAND = ["toadstone", "hook", "--agent", "hermes"]
TIME = 10
REFUSAL = {"decision": "block", "reason": "[toadstone] Withheld: toadstone could not be asked. The user can look: toadstone doctor"}
TOLD = {}  # sessions, and what the model is told about the files that it loads


def ask(event, session, **more):
    question = {"hook_event_name": event, "session_id": session or "", "cwd": os.getcwd(), **more}
    try:
        run = subprocess.run([*COMMAND, "--event", event], input=json.dumps(question), capture_output=True, text=True, timeout=TIME)
        answer = json.loads(run.stdout)
        return answer if isinstance(answer, dict) else REFUSAL
    except (OSError, ValueError, subprocess.SubprocessError):
        return REFUSAL


def on_session_start(session_id=None, **_):
    TOLD[session_id] = ask("on_session_start", session_id).get("context")


def pre_llm_call(session_id=None, user_message=None, **_):
    if isinstance(user_message, str):
        ask("pre_llm_call", session_id, extra={"user_message": user_message})
    told = TOLD.pop(session_id, None)
    return {"context": told} if told else None


def pre_tool_call(tool_name=None, args=None, session_id=None, **_):
    answer = ask("pre_tool_call", session_id, tool_name=tool_name, tool_input=args or {})
    return {"action": "block", "message": answer["reason"]} if answer.get("decision") == "block" else None


def transform_tool_result(tool_name=None, args=None, result=None, session_id=None, **_):
    answer = ask("post_tool_call", session_id, tool_name=tool_name, tool_input=args or {}, tool_response=result)
    return answer["reason"] if answer.get("decision") == "block" else None


def register(ctx):
    for hook in (on_session_start, pre_llm_call, pre_tool_call, transform_tool_result):
        ctx.register_hook(hook.__name__, hook)
