import { lazy } from "react";
import { useStore } from "../../session/use-store.ts";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { UploadQueue } from "./upload-queue.ts";

// Loaded with the first upload.
const Uploads = lazy(async () => ({ default: (await import("./uploads.tsx")).Uploads }));

/** The uploads of a queue, if there are any. */
export function UploadList({ queue }: { queue: UploadQueue }) {
  const items = useStore(queue.subscribe, queue.items);
  if (items.length === 0) return null;
  return (
    <WhenLoaded>
      <Uploads queue={queue} items={items} />
    </WhenLoaded>
  );
}
