/** Limits how many of something may be open at a time, in total and for one address. */
export function createPlaces(most: { inAll: number; perAddress: number }) {
  const taken = new Map<string, number>();
  let inAll = 0;
  return {
    /** Take a place; undefined when none is free. The returned function releases it once, however often it is called. */
    take(address: string): (() => void) | undefined {
      const own = taken.get(address) ?? 0;
      if (inAll >= most.inAll || own >= most.perAddress) return undefined;
      inAll += 1;
      taken.set(address, own + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        inAll -= 1;
        const left = (taken.get(address) ?? 1) - 1;
        if (left > 0) taken.set(address, left);
        else taken.delete(address);
      };
    },
  };
}
