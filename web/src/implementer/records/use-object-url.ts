import { useEffect, useState } from "react";

/** A URL at which the page shows a file as `type`; undefined before the first rendering and without a file. */
export function useObjectUrl(content: Blob | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (content === undefined) return;
    const made = URL.createObjectURL(content.slice(0, content.size, type));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return url;
}
