export const home = {
  firstSteps: {
    title: "This system holds nothing yet",
    demo: "Run this command for an example, from a certificate to the regulator’s trace.",
    begin: "Or start with your own data: register implementers, suppliers and products with one request each.",
  },
};
