export declare const marker: string;
export declare function isCompiled(): boolean;
export declare function sourceHash(): string;
