/** Load what the till shows once a voucher is found: the form, the order that it makes, and the answer of the household's phone. */
export async function loadOrders() {
  const [form, entry, asked] = await Promise.all([
    import("./redeem-form.tsx"),
    import("../queue/entry-card.tsx"),
    import("../consent/phone-request-card.tsx"),
  ]);
  return { ...form, ...entry, ...asked };
}
