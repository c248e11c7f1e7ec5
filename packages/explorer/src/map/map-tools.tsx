import type { ComponentChildren } from "preact";
import { shownSet } from "../query/current-query.ts";
import { type ToolName, toolNames } from "./area-tool.ts";

const drawings: Readonly<Record<ToolName, ComponentChildren>> = {
  rectangle: <rect x="4" y="6" width="16" height="12" rx="1" />,
  circle: <circle cx="12" cy="12" r="8" />,
  polygon: <path d="M5 9l8-5 7 7-4 8H7z" />,
};

const hints: Readonly<Record<ToolName, string>> = {
  rectangle: "Drag across the map",
  circle: "Drag from the middle outwards",
  polygon: "Click each corner, double-click the last one",
};

/** Fields that the terms of each area name. */
const needs: Readonly<Record<ToolName, string>> = {
  rectangle: "Latitude",
  circle: "Coordinates",
  polygon: "Coordinates",
};

function Icon({ children }: { readonly children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {children}
    </svg>
  );
}

export type MapToolsProperties = {
  readonly tool: ToolName | undefined;
  readonly hasArea: boolean;
  readonly canFinish: boolean;
  readonly onChoose: (tool: ToolName | undefined) => void;
  readonly onFinish: () => void;
  readonly onClear: () => void;
  readonly onZoom: (factor: number) => void;
  readonly onFit: () => void;
};

/** Buttons of the map: zoom, and areas to draw. */
export function MapTools(properties: MapToolsProperties) {
  const { tool, hasArea, canFinish, onChoose, onFinish, onClear, onZoom, onFit } = properties;
  const seen = shownSet.value?.type.properties;
  return (
    <>
      <div class="map-tools map-zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in" onClick={() => onZoom(1.8)}>
          <Icon>
            <path d="M12 5v14M5 12h14" />
          </Icon>
        </button>
        <button type="button" aria-label="Zoom out" title="Zoom out" onClick={() => onZoom(1 / 1.8)}>
          <Icon>
            <path d="M5 12h14" />
          </Icon>
        </button>
        <button type="button" aria-label="Show all points" title="Show all points" onClick={onFit}>
          <Icon>
            <path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5" />
          </Icon>
        </button>
      </div>
      <div class="map-tools map-draw">
        {toolNames
          .filter((name) => seen?.has(needs[name]) === true)
          .map((name) => (
            <button
              key={name}
              type="button"
              aria-label={`Draw a ${name}`}
              title={`Draw a ${name}`}
              aria-pressed={tool === name}
              onClick={() => onChoose(tool === name ? undefined : name)}
            >
              <Icon>{drawings[name]}</Icon>
            </button>
          ))}
        {hasArea && tool === undefined && (
          <button type="button" class="map-text" onClick={onClear}>
            Remove the area
          </button>
        )}
        {tool !== undefined && (
          <span class="map-hint" role="status">
            {hints[tool]}
          </span>
        )}
        {canFinish && (
          <button type="button" class="map-text" onClick={onFinish}>
            Finish
          </button>
        )}
      </div>
    </>
  );
}
