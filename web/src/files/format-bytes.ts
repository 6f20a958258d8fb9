const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Format a size: 0 bytes, 1.5 kB, 2 GB, in the given language. */
export function formatBytes(bytes: number, language: string): string {
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const unit = units[step] ?? "byte";
  const format = new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
  return format.format(bytes / 1000 ** step);
}
