import type { Position } from "../syntax/tree.ts";

/** A point on the unit sphere, or any vector in space. */
export type Vector = readonly [x: number, y: number, z: number];

const radian = Math.PI / 180;

/**
 * Converts a longitude and latitude in degrees to a point on the unit sphere; null if a
 * number is missing or not finite, or the latitude is beyond 90 degrees. Any longitude is accepted: 370 is 10.
 */
export function unitVector([longitude = Number.NaN, latitude = Number.NaN]: Position): Vector | null {
  if (!Number.isFinite(longitude) || !(Math.abs(latitude) <= 90)) return null;
  const [lambda, phi] = [(longitude % 360) * radian, latitude * radian];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vector, by: number): Vector => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a: Vector): number => Math.sqrt(dot(a, a));

export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
