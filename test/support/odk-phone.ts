export type RecordFile = { name: string; type: string; bytes: Buffer };
export type ListedForm = {
  formId: string;
  version: string;
  hash: string;
  downloadUrl: string;
  manifestUrl: string | undefined;
};
/** An app, or a server that fetch reaches. */
export type Served = { request: (url: string, init: RequestInit) => Response | Promise<Response> };
export type Phone = ReturnType<typeof usePhone>;

/**
 * For tests: what ODK Collect sends, byte by byte as its sources build it (getodk/collect, OpenRosaHttpInterface and
 * InstanceServerUploader), to the URL of a collector.
 */
export function usePhone(app: Served, url: string) {
  // Collect formats the date in the phone's language.
  const headers = { "x-openrosa-version": "1.0", date: "jeu., 26 nov. 2026 16:31:06 UTC+02:00" };
  const request = async (to: string, init: RequestInit = {}): Promise<Response> =>
    await app.request(to, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } });
  const forms = async (): Promise<ListedForm[]> => {
    const xml = await (await request(`${url}/formList`)).text();
    return [...xml.matchAll(/<xform>(.*?)<\/xform>/gs)].map(([, item = ""]) => {
      const read = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(item)?.[1];
      return {
        formId: read("formID") ?? "",
        version: read("version") ?? "",
        hash: read("hash") ?? "",
        downloadUrl: read("downloadUrl") ?? "",
        manifestUrl: read("manifestUrl"),
      };
    });
  };
  return {
    get: (path: string, init: RequestInit = {}) => request(`${url}${path}`, init),
    fetch: (to: string) => request(to),
    forms,
    async form(formId: string): Promise<ListedForm> {
      const found = (await forms()).find((each) => each.formId === formId);
      if (found === undefined) throw new Error(`The form ${formId} is not offered.`);
      return found;
    },
    /** The CSV of the form's list. */
    async listOf({ manifestUrl = "" }: ListedForm): Promise<string> {
      const manifest = await (await request(manifestUrl)).text();
      return await (await request(/<downloadUrl>(.*?)<\/downloadUrl>/.exec(manifest)?.[1] ?? "")).text();
    },
    /** Send a record with its files, or a part of them. */
    async send(xml: string, files: RecordFile[] = [], { isIncomplete = false, language = "" } = {}): Promise<Response> {
      const boundary = "33f7d1f5-0e0a-4c3b-a8d7-9a4f5d7a3c11";
      const part = (name: string, type: string, bytes: Buffer) => [
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name === "xml_submission_file" ? "record.xml" : name}"\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
        ),
        bytes,
        Buffer.from("\r\n"),
      ];
      const field = `--${boundary}\r\nContent-Disposition: form-data; name="*isIncomplete*"\r\n\r\nyes\r\n`;
      const body = Buffer.concat([
        ...part("xml_submission_file", "text/xml", Buffer.from(xml)),
        ...(isIncomplete ? [Buffer.from(field)] : []),
        ...files.flatMap(({ name, type, bytes }) => part(name, type, bytes)),
        Buffer.from(`--${boundary}--\r\n`),
      ]);
      return await request(`${url}/submission?deviceID=collect%3A1`, {
        method: "POST",
        headers: {
          "content-type": `multipart/form-data; boundary=${boundary}`,
          ...(language !== "" && { "accept-language": language }),
        },
        body,
      });
    },
  };
}
