/** Another process has taken the publication. */
export class LostRunError extends Error {
  override name = "LostRunError";
}
