import { useNetwork } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { keepForOffline } from "./keep-for-offline.ts";

/**
 * Call it on a page that works offline: on the first use with a network, all such pages are cached. Returns whether
 * there is a network now.
 */
export function useOfflinePages(): boolean {
  const { online } = useNetwork();
  const router = useRouter();
  useEffect(() => {
    if (!online) return;
    void keepForOffline(() =>
      Promise.all(
        Object.values(router.routesByPath).map(async (page) => {
          const { offline } = page.options.staticData ?? {};
          if (offline !== undefined) await router.loadRouteChunk(page);
          if (typeof offline === "function") await offline();
        }),
      ),
    );
  }, [online, router]);
  return online;
}
