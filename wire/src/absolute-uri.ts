/** Text of an absolute URI: a scheme, then printable ASCII without spaces. */
export const absoluteUri = /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i;
