/** What addresses a gateway may have. One that was made before there was this setting could be anywhere. */
export const allowanceOf = (settings: { privateNetwork?: boolean }) => ({
  privateNetwork: settings.privateNetwork ?? true,
});
