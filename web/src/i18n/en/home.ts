export const home = {
  firstSteps: {
    title: "This system holds nothing yet",
    demo: "See it at work: this command tells an example, from a certificate to the regulator’s trace.",
    begin: "Or begin with your own: implementers, suppliers and products are registered with a request each.",
  },
};
