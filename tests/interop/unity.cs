// The part of Unity's scripting reference (2021.3 to 6000) that the exported scripts use: names and signatures, no bodies.
using System;

namespace UnityEngine
{
    public class Object
    {
        public string name { get; set; }
        public static T Instantiate<T>(T original) where T : Object { return default(T); }
        public static void DestroyImmediate(Object obj) { }
    }
    public class Motion : Object { }
    public sealed class AnimationClip : Motion { }
    public class AnimationCurve { }
    public class RuntimeAnimatorController : Object { }
    public class Component : Object
    {
        public Transform transform { get { return null; } }
        public T GetComponent<T>() { return default(T); }
    }
    public class Transform : Component
    {
        public Vector3 position { get; set; }
        public Vector3 forward { get; set; }
        public void Rotate(float xAngle, float yAngle, float zAngle) { }
    }
    public class Behaviour : Component { }
    public class MonoBehaviour : Behaviour { }
    public class Animator : Behaviour
    {
        public RuntimeAnimatorController runtimeAnimatorController { get; set; }
        public bool applyRootMotion { get; set; }
        public void SetFloat(string name, float value) { }
    }
    public class GameObject : Object
    {
        public T GetComponent<T>() { return default(T); }
        public T AddComponent<T>() where T : Component { return default(T); }
    }
    public struct Vector2 { public float x, y; public Vector2(float x, float y) { this.x = x; this.y = y; } }
    public struct Vector3
    {
        public float x, y, z;
        public static Vector3 operator +(Vector3 a, Vector3 b) { return a; }
        public static Vector3 operator *(Vector3 a, float d) { return a; }
    }
    public struct Mathf { public static float Clamp(float value, float min, float max) { return value; } }
    public class Time { public static float deltaTime { get { return 0f; } } }
    public class Debug { public static void Log(object message) { } public static void LogError(object message) { } }
    public static class JsonUtility { public static T FromJson<T>(string json) { return default(T); } }
    public enum AnimatorControllerParameterType { Float = 1, Int = 3, Bool = 4, Trigger = 9 }
    public sealed class RequireComponent : Attribute { public RequireComponent(Type requiredComponent) { } }
}

namespace UnityEditor
{
    using UnityEngine;

    public sealed class MenuItem : Attribute { public MenuItem(string itemName) { } }
    public sealed class Selection { public static Object activeObject { get; set; } }
    public class AnimationClipSettings { public bool loopTime { get; set; } }
    public struct EditorCurveBinding { public string path; public string propertyName; }
    public class AnimationUtility
    {
        public static AnimationClipSettings GetAnimationClipSettings(AnimationClip clip) { return null; }
        public static void SetAnimationClipSettings(AnimationClip clip, AnimationClipSettings srcClipInfo) { }
        public static EditorCurveBinding[] GetCurveBindings(AnimationClip clip) { return null; }
        public static void SetEditorCurve(AnimationClip clip, EditorCurveBinding binding, AnimationCurve curve) { }
    }
    public sealed class AssetDatabase
    {
        public static string GetAssetPath(Object assetObject) { return ""; }
        public static T LoadAssetAtPath<T>(string assetPath) where T : Object { return default(T); }
        public static Object[] LoadAllAssetsAtPath(string assetPath) { return null; }
        public static void AddObjectToAsset(Object objectToAdd, Object assetObject) { }
        public static void SaveAssets() { }
    }
    public sealed class PrefabUtility
    {
        public static GameObject SaveAsPrefabAsset(GameObject instanceRoot, string assetPath) { return null; }
    }
}

namespace UnityEditor.Animations
{
    using UnityEngine;

    public enum BlendTreeType { Simple1D, SimpleDirectional2D, FreeformDirectional2D, FreeformCartesian2D, Direct }
    public struct ChildMotion { }
    public sealed class AnimatorState : Object { }
    public class BlendTree : Motion
    {
        public string blendParameter { get; set; }
        public string blendParameterY { get; set; }
        public BlendTreeType blendType { get; set; }
        public ChildMotion[] children { get; set; }
        public void AddChild(Motion motion, Vector2 position) { }
    }
    public sealed class AnimatorController : RuntimeAnimatorController
    {
        public static AnimatorController CreateAnimatorControllerAtPath(string path) { return null; }
        public void AddParameter(string name, AnimatorControllerParameterType type) { }
        public AnimatorState CreateBlendTreeInController(string name, out BlendTree tree) { tree = null; return null; }
    }
}
