import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { RecordDialog } from "../records/record-dialog.tsx";

/** Register a product; it can be redeemed after it is approved. */
export function ProductDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("admin.products.register")}
      fields={[
        {
          name: "name",
          label: t("admin.participants.name"),
          placeholder: t("admin.products.example.name"),
          required: true,
          maxLength: 200,
          isName: true,
        },
        {
          name: "productId",
          label: t("admin.products.id"),
          hint: t("admin.products.idHint"),
          required: true,
          maxLength: 128,
        },
        {
          name: "category",
          label: t("admin.products.category"),
          placeholder: t("admin.products.example.category"),
          required: true,
          maxLength: 100,
          isName: true,
        },
        {
          name: "unit",
          label: t("admin.products.unit"),
          placeholder: t("admin.products.example.unit"),
          required: true,
          maxLength: 50,
          isName: true,
        },
      ]}
      name="admin.register.product"
      body={({ text }) => ({
        productId: text("productId"),
        name: text("name"),
        category: text("category"),
        unit: text("unit"),
      })}
      send={(body, idempotencyKey) => hearth.post("/v1/products", { body, idempotencyKey })}
      changes={["admin", "products"]}
      onClose={onClose}
    />
  );
}
