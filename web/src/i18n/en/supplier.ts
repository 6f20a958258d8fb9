export const supplier = {
  area: "Supplier",
};
