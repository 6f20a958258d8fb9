import { digestOf } from "./frames.ts";

/** Something that an oracle does for a price. */
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

/** What an oracle says of itself in the document that it is registered with. */
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
  /** `sha256-` and the base64 of the hash of the document as it was read; empty where the page may not hash. */
  cardProof: string;
};

/** Read an oracle's card. Null when what is registered is no such card. @throws TypeError when it cannot be reached */
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
    // Not JSON: no card.
    return undefined;
  }
}
