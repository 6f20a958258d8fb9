export const implementer = {
  area: "Field team",
};
