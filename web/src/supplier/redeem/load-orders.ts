/** Load what the till shows once a voucher is found: the form, and the order that it makes. */
export async function loadOrders() {
  const [form, entry] = await Promise.all([import("./redeem-form.tsx"), import("../queue/entry-card.tsx")]);
  return { ...form, ...entry };
}
