/** Colours of the API reference with a contrast of at least 4.5, in place of Swagger UI's. */
export const docsStyle = `.swagger-ui .info .title small.version-stamp{background:#3d6b00}
.swagger-ui .info .title small{background:#4b5563}
.swagger-ui a,.swagger-ui .info a,.swagger-ui .info .link .url,.swagger-ui .link .url,.swagger-ui span.url{color:#0b5cad}
.swagger-ui .btn.authorize{color:#0a6b3f;border-color:#0a6b3f}
.swagger-ui .btn.authorize span{color:#0a6b3f}
.swagger-ui .btn.authorize svg{fill:#0a6b3f}
.swagger-ui .opblock.opblock-post .opblock-summary-method{background:#0a6b3f}
.swagger-ui .opblock.opblock-get .opblock-summary-method{background:#0b5cad}
.swagger-ui .opblock.opblock-delete .opblock-summary-method{background:#b42318}
.swagger-ui .opblock.opblock-put .opblock-summary-method{background:#8a4b00}
.swagger-ui .opblock.opblock-patch .opblock-summary-method{background:#0f5f52}
.swagger-ui .opblock.opblock-head .opblock-summary-method{background:#6b21a8}
.swagger-ui .opblock.opblock-options .opblock-summary-method{background:#374151}
.swagger-ui [class*=json-schema-2020-12]{color:#3b4151}
.swagger-ui .json-schema-2020-12-expand-deep-button,.swagger-ui .json-schema-2020-12__attribute--muted,.swagger-ui .json-schema-2020-12__attribute--secondary{color:#3b4151}
.swagger-ui .json-schema-2020-12__attribute--primary{color:#5b21b6}
.swagger-ui .opblock-description-wrapper p,.swagger-ui .parameter__in,.swagger-ui .parameter__type{color:#3b4151}
.swagger-ui .parameter__name.required:after,.swagger-ui .parameter__name.required span{color:#b42318}
.swagger-ui .btn.cancel{color:#b42318;border-color:#b42318}
.swagger-ui .btn.execute{background:#0b5cad;border-color:#0b5cad}
.swagger-ui .copy-to-clipboard,.swagger-ui .copy-to-clipboard button{min-width:24px;min-height:24px}
.swagger-ui .opblock-summary-control:focus-visible{outline:2px solid #0b5cad}`;
