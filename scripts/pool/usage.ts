export const usage = `The pool's council: proposals, approvals by the members' own keys, execution; and the guardian's pause.

  npm run pool -- status                             what is in force, and what is open
  npm run pool -- show <id>                          one proposal, whole
  npm run pool -- propose <action> [field=value …]   propose, and approve it by signing
  npm run pool -- approve <id>                       approve somebody else's proposal
  npm run pool -- send --file FILE                   without the service: send what is approved in a file, paying for it
  npm run pool -- execute <id>                       once the delay is over; needs no key
  npm run pool -- cancel <id>                        guardian: immediately; member: by a decision; proposer: before it is scheduled
  npm run pool -- pause                              guardian: immediately
  npm run pool -- lower <cap> [field=value …]        guardian: immediately, without the service; needs --rpc. The fields are
                                                     those of the action: operator-cap, pin-cap, lifecycle-cap,
                                                     unconsented-cap, itmo-daily-cap, caps
  npm run pool -- drop-account supplier <DID>        guardian: immediately, a new account that waits; needs --rpc. Also
                                                     implementer <DID>, household <number>
  npm run pool -- veto-revocation <certificate> --reason TEXT
                                                     guardian: vetoes a revocation that is not final yet; needs --rpc.
                                                     The reason is public
  npm run pool -- veto-reduction <authorization> --reason TEXT
                                                     guardian: vetoes a reduction or revocation of an authorization that is
                                                     not final yet; needs --rpc. The reason is public
  npm run pool -- unpause                            a member's proposal, like every loosening

Actions and their fields (amounts in CARBON or stablecoin, as 1000000 or 0.021):
  price price=0.021                         fee fee=50 (ten-thousandths)
  caps perTransaction=… perWindow=… perDay=… lifetime=none perSupplierDay=…
  withdraw token=stablecoin to=0x… amount=… deposit token=stablecoin amount=…
  grant-role role=guardian account=0x…      revoke-role role=guardian account=0x…
  operator-cap amount=…  pin-cap amount=…  lifecycle-cap amount=…  unconsented-cap plan=0 amount=… (whole CARBON)
  dispute-stake amount=…  itmo-daily-cap tonnes=…  delay seconds=…  unpause  cease-consent
  invalidation-buffer share=… (ten-thousandths of later conversions) days=…
  waive-debt supplier=… (its index) amount=… reason='…'
  directory contracts='{"Pool":"0x…"}'      cancel operationId=0x…
  add-member account=0x… threshold=2        remove-member, replace-member account=0x… by=0x…, threshold threshold=2
  batch actions='[{"action":"price","price":0.021},{"action":"fee","fee":50}]'

Whose key signs (it never leaves this machine):
  --key-file FILE     a file of yours (mode 0600) with the private key in hexadecimal
  --key-env NAME      an environment variable with it
  --as NAME           DATA_DIR/keys/NAME.key, as the embedded chain has them: council-1, council-2, council-3, guardian
  none of these       the key is asked for, unseen
  --signer ADDRESS    a key elsewhere (hardware wallet, cast, …): what to sign is printed; call again with
                      --signature 0x… --statement-signature 0x…   (guardian: --signed-transaction 0x…)

  --api URL           the service (PUBLIC_URL, else http://127.0.0.1:PORT)
  --rpc URL           a node that you trust: names and present values are then read from it, not from the service, and
                      pause, lower, drop-account, veto-revocation, veto-reduction, execute and the guardian's cancel go to it
                      directly (RPC_URL)
  --deployment FILE   the contracts for --rpc (DEPLOYMENT, else DATA_DIR/deployments/31337.json)
  --file FILE         without the service: propose and approve keep proposal and signatures in this file, which goes from
                      member to member; then \`send --file FILE\` has the Safe do it. Needs --rpc
  --nonce N           sign for this number of the Safe: to overtake a proposal that blocks the others
  --salt 0x…          distinguishes proposals of the same
  --yes               do not ask before signing
  --json              print the service's answer
  --help

Before anything is signed, this program derives the description again from the exact bytes, and refuses to sign when the service says
something else, when a call cannot be read, or when anything but a plain call is asked for. docs/governance.md says more.`;

export const options = {
  "key-file": { type: "string" },
  "key-env": { type: "string" },
  as: { type: "string" },
  signer: { type: "string" },
  signature: { type: "string" },
  "statement-signature": { type: "string" },
  "signed-transaction": { type: "string" },
  api: { type: "string" },
  rpc: { type: "string" },
  deployment: { type: "string" },
  file: { type: "string" },
  nonce: { type: "string" },
  reason: { type: "string" },
  salt: { type: "string" },
  yes: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

export type Values = { [K in keyof typeof options]?: (typeof options)[K]["type"] extends "boolean" ? boolean : string };

/** This command is not understood. */
export class UsageError extends Error {}
/** What was asked for is refused, in a sentence or several. */
export class RefusedError extends Error {}
