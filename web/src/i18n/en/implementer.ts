export const implementer = {
  area: "Field team",
  choose: { label: "Implementer you act for", none: "Choose the implementer whose work this is." },
};
