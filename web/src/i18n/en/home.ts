export const home = {
  firstSteps: {
    title: "This system has no data yet",
    demo: "Run this command to create an example scheme, from a certificate to a trace.",
    begin: "Or start with your own data: register each implementer, supplier and product with one API request.",
  },
};
