import { HttpAgent } from "@ag-ui/client";
import { CopilotKitProvider, useAgent, useCopilotKit, useFrontendTool } from "@copilotkit/react-core/v2";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";

// A CopilotKit app without CopilotKit's server: its agent is the oracle's AG-UI endpoint.
type Fixture = { url: string; headers: Record<string, string> };
const { url, headers } = (window as unknown as { fixture: Fixture }).fixture;
const agents = { default: new HttpAgent({ url: `${url}/ag-ui`, headers, threadId: "copilot-thread" }) };

function Chat() {
  const { agent } = useAgent({ agentId: "default" });
  const { copilotkit } = useCopilotKit();
  const [colour, setColour] = useState("white");
  const [failure, setFailure] = useState("");
  useFrontendTool({
    name: "set_colour",
    description: "Sets the colour of the page.",
    parameters: z.object({ colour: z.string() }),
    handler: async ({ colour: wanted }) => {
      setColour(wanted);
      return `The page is ${wanted}.`;
    },
  });
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem("message") as HTMLInputElement;
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: input.value });
    input.value = "";
    await copilotkit.runAgent({ agent }).catch((error: unknown) => setFailure(String(error)));
  };
  return (
    <main data-running={agent.isRunning} data-colour={colour}>
      <ol>
        {agent.messages.map((message) => (
          <li key={message.id} className={message.role}>
            {typeof message.content === "string" ? message.content : ""}
            {"toolCalls" in message && message.toolCalls?.map((call) => <i key={call.id}>{call.function.name}</i>)}
          </li>
        ))}
      </ol>
      <form onSubmit={send}>
        <input name="message" aria-label="Message" />
        <button type="submit">Send</button>
      </form>
      <output>{failure}</output>
    </main>
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <CopilotKitProvider agents__unsafe_dev_only={agents} enableInspector={false}>
    <Chat />
  </CopilotKitProvider>,
);
