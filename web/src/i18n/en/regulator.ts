export const regulator = {
  area: "Regulator",
};
