/** The server refused a request: the same request would be refused again. */
export class CadTrustRefusal extends Error {
  override name = "CadTrustRefusal";
}

/** No usable answer came, or the server is busy: whether a write was done is not known, and a later try may succeed. */
export class CadTrustUnavailable extends Error {
  override name = "CadTrustUnavailable";
}
