import "leaflet/dist/leaflet.css";
import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconCurrentLocation } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import {
  canvas,
  circle,
  control,
  divIcon,
  geoJSON,
  type LayerGroup,
  type LeafletKeyboardEvent,
  type Map as LeafletMap,
  layerGroup,
  type MarkerOptions,
  map,
  marker,
} from "leaflet";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import Supercluster from "supercluster";
import { feature } from "topojson-client";
import bordersUrl from "world-atlas/countries-50m.json?url";
import classes from "./map.module.css";
import type { Place } from "./place.ts";

/** Width of a place's mark, and of a cluster's, in px. */
const [markSize, clusterSize] = [28, 40];
/** Space around the places when the map opens, in px. */
const margin = 40;
/** Nearer than this, places are shown as one cluster, in px; Leaflet's worlds consist of tiles of 256 px. */
const [apart, tile] = [80, 256];
const closest = 16;

/** A map with country borders and a scale. It asks no other server for pictures, so it also works without the internet. */
export function HouseholdMap({ places }: { places: Place[] }) {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<{ view: LeafletMap; marks: LayerGroup }>();
  const [chosen, setChosen] = useState<Place>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (frame.current === null) return;
    const view = map(frame.current, { renderer: canvas(), attributionControl: false, worldCopyJump: true });
    control.scale({ imperial: false }).addTo(view);
    const marks = layerGroup().addTo(view);
    view.setView([0, 0], 2);
    void drawBorders(view);
    setOpened({ view, marks });
    return () => void view.remove();
  }, []);
  const clusters = useMemo(() => clustersOf(places), [places]);
  useEffect(() => {
    if (opened === undefined) return;
    const bounds = places.map(({ latitude, longitude }): [number, number] => [latitude, longitude]);
    opened.view.fitBounds(bounds, { padding: [margin, margin], maxZoom: closest, animate: false });
  }, [opened, places]);
  useEffect(() => {
    if (opened === undefined) return;
    const { view, marks } = opened;
    const draw = () => {
      marks.clearLayers();
      const shown = view.getBounds();
      const box = [shown.getWest(), shown.getSouth(), shown.getEast(), shown.getNorth()] as const;
      for (const { geometry, properties, id } of clusters.getClusters([...box], Math.floor(view.getZoom()))) {
        const [longitude, latitude] = geometry.coordinates as [number, number];
        const at: [number, number] = [latitude, longitude];
        if ("cluster" in properties) {
          const title = t("implementer.map.cluster", { count: properties.point_count });
          const icon = iconOf(String(properties.point_count_abbreviated), clusterSize, "cluster");
          const zoomIn = () => view.setView(at, clusters.getClusterExpansionZoom(Number(id)));
          addButton(marks, at, { icon, title }, zoomIn);
        } else {
          const place = places[properties.index] as Place;
          const icon = iconOf("", markSize, place.state);
          addButton(marks, at, { icon, title: place.did }, () => setChosen(place));
        }
      }
    };
    draw();
    view.on("moveend", draw);
    return () => void view.off("moveend", draw);
  }, [opened, clusters, places, t]);
  const findMe = () => {
    setLost(false);
    opened?.view
      .locate({ setView: true, maxZoom: closest, enableHighAccuracy: true })
      .once("locationfound", ({ latlng, accuracy }) => circle(latlng, { radius: accuracy }).addTo(opened.view))
      .once("locationerror", () => setLost(true));
  };
  return (
    <Stack gap="xs">
      <section ref={frame} className={classes.map} aria-label={t("implementer.map.label")} />
      <Group justify="space-between" gap="sm">
        <Button
          variant="default"
          leftSection={<IconCurrentLocation size={18} stroke={1.6} aria-hidden />}
          onClick={findMe}
        >
          {t("implementer.map.findMe")}
        </Button>
        <div role="status">
          {isLost && <Text size="sm">{t("implementer.map.lost")}</Text>}
          {chosen !== undefined && <Chosen place={chosen} />}
        </div>
      </Group>
    </Stack>
  );
}

function Chosen({ place }: { place: Place }) {
  const { t } = useTranslation();
  return (
    <Text size="sm">
      <span translate="no">{place.did}</span>
      {place.link !== undefined && (
        <>
          {" · "}
          <Anchor component={Link} {...place.link} size="sm">
            {t("implementer.map.measure")}
          </Anchor>
        </>
      )}
    </Text>
  );
}

/** Add a mark that acts on a press and, which Leaflet leaves out, on the Enter key. */
function addButton(marks: LayerGroup, at: [number, number], look: MarkerOptions, act: () => void): void {
  const button = marker(at, look).on("click", act);
  button.on("keydown", ({ originalEvent }: LeafletKeyboardEvent) => originalEvent.key === "Enter" && act());
  button.addTo(marks);
}

function clustersOf(places: readonly Place[]) {
  const clusters = new Supercluster<{ index: number }>({ radius: apart, extent: tile, maxZoom: closest });
  return clusters.load(
    places.map(({ latitude, longitude }, index) => ({
      type: "Feature",
      properties: { index },
      geometry: { type: "Point", coordinates: [longitude, latitude] },
    })),
  );
}

const iconOf = (text: string, size: number, state: Place["state"] | "cluster") =>
  divIcon({ className: classes.mark ?? "", html: markOf(text, state), iconSize: [size, size] });

function markOf(text: string, state: Place["state"] | "cluster"): HTMLElement {
  const mark = document.createElement("span");
  mark.dataset.state = state;
  mark.className = classes.dot ?? "";
  mark.textContent = text;
  // The mark's title names it.
  mark.ariaHidden = "true";
  return mark;
}

/** Natural Earth's borders of all countries. Without a network that has them, the map has none. */
async function drawBorders(view: LeafletMap): Promise<void> {
  const response = await fetch(bordersUrl);
  if (!response.ok) return;
  const atlas = await response.json();
  const style = { color: "#868e96", weight: 1, fill: false };
  geoJSON(feature(atlas, atlas.objects.countries), { style, interactive: false }).addTo(view);
}
