import { act, renderHook } from "@testing-library/react";
import { type PropsWithChildren, StrictMode } from "react";
import { expect, it } from "vitest";
import { useLiveAgent } from "../../../src/live-agent.ts";
import { OraclesProvider } from "../../../src/react/context.tsx";

const options = { oracleDid: "did:web:oracle", sessionId: "$s:hearth", overrides: { baseUrl: "http://127.0.0.1:9" } };
const mint = async () => ({ serialized: "AA==", expiresAt: Date.now() + 3_600_000 });

function Provider({ children }: PropsWithChildren) {
  return (
    <StrictMode>
      <OraclesProvider
        initialWallet={{ address: "0x0", did: "did:key:zAlice", matrix: { accessToken: "", homeServer: "" } }}
        transactSignX={async () => undefined}
        createDelegation={mint}
      >
        {children}
      </OraclesProvider>
    </StrictMode>
  );
}

it("starts as idle, and is ready when the address is known", () => {
  const { result } = renderHook(() => useLiveAgent(options), { wrapper: Provider });
  const { status, participants, captions, isMuted, isVideoEnabled, localStream, isReady } = result.current;
  expect({ status, participants, captions, isMuted, isVideoEnabled, localStream, isReady }).toEqual({
    status: "idle",
    participants: [],
    captions: [],
    isMuted: false,
    isVideoEnabled: false,
    localStream: null,
    isReady: true,
  });
});

it("does not call where media cannot be encrypted", async () => {
  const { result } = renderHook(() => useLiveAgent(options), { wrapper: Provider });
  await act(() => result.current.join());
  expect(result.current.status).toBe("error");
  expect(result.current.error?.message).toBe("This browser cannot encrypt media end to end.");
});
