export const chat = {
  area: "Oracle",
};
