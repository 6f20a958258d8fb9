export const files = {
  area: "Files",
};
