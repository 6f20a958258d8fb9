import { digestOf } from "./frames.ts";

/** A service that an oracle offers for a price. */
export type IAgentService = {
  id: string;
  name: string;
  description?: string;
  price: { amount: number; currency?: string };
  deliverables: string;
  doneMeans?: string[];
  tags?: string[];
  examples?: string[];
};

/** An oracle's description of itself, from the document in its registration. */
export type IAgentCard = {
  oracleDid: string;
  card: {
    credentialSubject: {
      id: string;
      name: string;
      description?: string;
      version?: string;
      services: IAgentService[];
    };
  };
  /** `sha256-` and the base64 hash of the document; empty where the page has no WebCrypto. */
  cardProof: string;
};

/** Read an oracle's card; null when the document is not a valid card. @throws TypeError when the network fails */
export async function readAgentCard(oracleDid: string, uri: string): Promise<IAgentCard | null> {
  const response = await fetch(uri, { headers: { accept: "application/json" } });
  if (!response.ok) return null;
  const text = await response.text();
  const subject = subjectOf(text);
  if (subject === undefined || subject.id !== oracleDid) return null;
  return { oracleDid, card: { credentialSubject: subject }, cardProof: (await digestOf([text])) ?? "" };
}

function subjectOf(text: string): IAgentCard["card"]["credentialSubject"] | undefined {
  try {
    const { credentialSubject } = JSON.parse(text) as Partial<IAgentCard["card"]>;
    const { id, name, services } = credentialSubject ?? {};
    const isCard = typeof id === "string" && typeof name === "string" && Array.isArray(services);
    return isCard ? credentialSubject : undefined;
  } catch {
    // Not JSON, so not a card.
    return undefined;
  }
}
