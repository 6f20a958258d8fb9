import { FileInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { useObjectUrl } from "./use-object-url.ts";

/** Largest photo that the server takes, in bytes. */
export const mostPhotoBytes = 16 * 1024 * 1024;

type PhotoInputProps = {
  field: Schemas["SubmissionDetail"]["fields"][number];
  isBroken: boolean;
  photo: File | null;
  onChange: (photo: File | null) => void;
};

/** Chooses another photo as the answer to a question, and shows it before it is sent. */
export function PhotoInput({ field: { label, required, answer }, isBroken, photo, onChange }: PhotoInputProps) {
  const { t } = useTranslation();
  const isTooLarge = photo !== null && photo.size > mostPhotoBytes;
  return (
    <Stack gap="xs">
      <FileInput
        label={
          <span translate="no" lang="en">
            {label}
          </span>
        }
        description={
          answer === null ? t("implementer.records.photoNone") : t("implementer.records.photoNow", { name: answer })
        }
        placeholder={t("implementer.records.choosePhoto")}
        accept="image/jpeg,image/png,image/gif,image/webp,image/heic"
        required={required && answer === null}
        error={isTooLarge ? t("implementer.records.photoLarge") : isBroken}
        value={photo}
        onChange={onChange}
        clearable
        clearButtonProps={{ "aria-label": t("implementer.records.keepPhoto") }}
      />
      {photo !== null && <Preview key={`${photo.name} ${photo.lastModified} ${photo.size}`} photo={photo} />}
    </Stack>
  );
}

function Preview({ photo }: { photo: File }) {
  const { t } = useTranslation();
  const url = useObjectUrl(photo, photo.type);
  // Such as HEIC, which only some browsers show.
  const [isUnseen, setUnseen] = useState(false);
  if (url === undefined) return null;
  if (isUnseen) return <Text size="sm">{t("implementer.records.photoUnseen")}</Text>;
  return (
    <img
      src={url}
      alt={t("implementer.records.newPhoto", { name: photo.name })}
      onError={() => setUnseen(true)}
      style={{ maxWidth: "100%", maxHeight: "16rem", alignSelf: "flex-start" }}
    />
  );
}
