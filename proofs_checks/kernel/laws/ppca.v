(* PPCA, the exponential mechanism on frames (near-optimal.theorem-6): for every length d of a record, every k, every
   number n of records and every finite base measure on a measurable family of d x k matrices V with V'V = 1. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise second_moment.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section frames.
Variables (R : realType) (d k : nat).
Implicit Types (V : 'M[R]_(d, k)) (v : 'rV[R]_d).
Definition captured V (A : 'M[R]_d) : R := \tr (V^T *m A *m V).

Lemma squared_normE n (v : 'rV[R]_n) : squared_norm v = (v *m v^T) 0 0.
Proof. by rewrite mxE; apply: eq_bigr => i _; rewrite mxE expr2. Qed.
Lemma captured_outer V v : captured V (outer v) = squared_norm (v *m V).
Proof. by rewrite /captured -trace_outer /outer trmx_mul !mulmxA. Qed.
Lemma capturedD V A B : captured V (A + B) = captured V A + captured V B.
Proof. by rewrite /captured mulmxDr mulmxDl linearD. Qed.
Lemma capturedZ V a A : captured V (a *: A) = a * captured V A.
Proof. by rewrite /captured -scalemxAr -scalemxAl mxtraceZ. Qed.

(* a frame lengthens no record *)
Theorem bessel V v : V^T *m V = 1%:M -> squared_norm (v *m V) <= squared_norm v.
Proof.
move=> VV; rewrite -subr_ge0.
have -> : squared_norm v - squared_norm (v *m V) = squared_norm (v - v *m V *m V^T).
  have E : (v - v *m V *m V^T) *m (v - v *m V *m V^T)^T = v *m v^T - (v *m V) *m (v *m V)^T.
    rewrite [(_ - _)^T]linearB /= mulmxBl !mulmxBr !trmx_mul !trmxK.
    have -> : v *m V *m V^T *m (V *m (V^T *m v^T)) = v *m V *m (V^T *m v^T).
      by rewrite -!mulmxA (mulmxA V^T V) VV mul1mx.
    by rewrite !mulmxA subrr subr0.
  by rewrite !squared_normE E [in RHS]mxE [X in _ = _ + X]mxE.
exact: squared_norm_ge0.
Qed.
Lemma captured_bounds V v : V^T *m V = 1%:M -> squared_norm v <= 1 -> 0 <= captured V (outer v) <= 1.
Proof. by move=> VV v1; rewrite captured_outer squared_norm_ge0 (le_trans (bessel _ VV)). Qed.
Lemma captured_moment V (X : seq 'rV[R]_d) : V^T *m V = 1%:M -> bounded 1 X ->
  0 <= captured V (moment X) <= (size X)%:R.
Proof.
move=> VV; elim: X => [|x X IH] bX.
  by rewrite /moment big_nil /captured mulmx0 mul0mx linear0 lexx.
have x1 : squared_norm x <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite mem_head.
have /IH /andP[a b] : bounded 1 X by move=> y yX; apply: bX; rewrite inE yX orbT.
rewrite /moment big_cons -/(moment X) capturedD; have /andP[e f] := captured_bounds VV x1.
by rewrite addr_ge0//= -natr1 addrC ler_add.
Qed.
End frames.

Section ppca.
Context {disp : measure_display} {T : measurableType disp} {R : realType}.
Variables (d k n : nat) (mu : {measure set T -> \bar R}) (V : T -> 'M[R]_(d, k)).
Hypothesis finite_measure : (0 < mu setT < +oo)%E.
Hypothesis frame : forall x, (V x)^T *m V x = 1%:M.
Hypothesis measurable_entries : forall i j, measurable_fun setT (fun x => V x i j).

(* density proportional to exp(n (eps/2) tr V'AV), A the average of the outer products of the records *)
Definition average_moment (X : seq 'rV[R]_d) : 'M[R]_d := n%:R^-1 *: moment X.
Definition score (eps : R) (X : seq 'rV[R]_d) (x : T) : R := n%:R * (eps / 2%:R) * captured (V x) (average_moment X).
Definition ppca (eps : R) (X : seq 'rV[R]_d) : set T -> \bar R := exponential_mechanism mu (score eps X).
Definition records_replaced (X Y : seq 'rV[R]_d) : Prop := size X = n /\ replace_one 1 X Y.

Lemma measurable_captured A : measurable_fun setT (fun x => captured (V x) A).
Proof.
have ms (I : Type) (s : seq I) (h : I -> T -> R) : (forall i, measurable_fun setT (h i)) ->
    measurable_fun setT (fun x => \sum_(i <- s) h i x).
  move=> mh; elim: s => [|i s IH]; first by under eq_fun do rewrite big_nil; exact: measurable_fun_cst.
  by under eq_fun do rewrite big_cons; apply: measurable_funD.
rewrite (_ : (fun x => _) = fun x => \sum_j \sum_i (\sum_h V x h j * A h i) * V x i j); last first.
  apply/funext => x; rewrite /captured /mxtrace; apply: eq_bigr => j _; rewrite mxE.
  by apply: eq_bigr => i _; rewrite mxE; congr (_ * _); apply: eq_bigr => h _; rewrite mxE.
apply: (ms) => j; apply: (ms) => i; apply: measurable_funM => //.
by apply: (ms) => h; apply: measurable_funM => //; exact: measurable_fun_cst.
Qed.
Lemma measurable_score eps X : measurable_fun setT (score eps X).
Proof. by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_captured]. Qed.

(* the normaliser exists: the score of n records lies between 0 and n eps / 2 *)
Lemma normaliser_finite eps X : 0 <= eps -> (0 < n)%N -> size X = n -> bounded 1 X ->
  (0 < normaliser mu (score eps X) < +oo)%E.
Proof.
move=> eps0 n0 sX bX; have nn : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have e2 : 0 <= eps / 2%:R by rewrite divr_ge0.
have bounds x : 0 <= score eps X x <= eps / 2%:R * n%:R.
  rewrite /score /average_moment capturedZ mulrACA divff// mul1r; have := captured_moment (frame x) bX.
  by rewrite sX => /andP[a b]; rewrite mulr_ge0//= ler_wpmul2l.
have [mu0 mu1] := andP finite_measure; have mw := weight_measurable (measurable_score eps X).
apply/andP; split.
  apply: (lt_le_trans mu0); rewrite -[leLHS]mul1e -integral_cst//.
  apply: ge0_le_integral => //;
    try first [exact: measurable_fun_cst | by move=> x _; exact: expR_ge0E | by move=> x _; rewrite lee_fin ler01].
  by move=> x _; rewrite /weight lee_fin -[X in (X <= _)%R]expR0 ler_expR; case/andP: (bounds x).
apply: (@le_lt_trans _ _ ((expR (eps / 2%:R * n%:R))%:E * mu setT)%E).
  rewrite -integral_cst//; apply: ge0_le_integral => //;
    try first [exact: measurable_fun_cst | by move=> x _; exact: expR_ge0E].
  by move=> x _; rewrite /weight lee_fin ler_expR; case/andP: (bounds x).
by rewrite lte_mul_pinfty// ?expR_ge0E.
Qed.

Theorem ppca_is_private (eps : R) : 0 <= eps -> (0 < n)%N ->
  differentially_private records_replaced eps 0 (ppca eps).
Proof.
move=> eps0 n0 X Y [sX [s [v [w [t [eX eY bX bY]]]]]].
have sY : size Y = n by rewrite -sX eX eY !size_cat.
apply: exponential_mechanism_is_private; [exact: measurable_score | exact: measurable_score |
  exact: normaliser_finite | exact: normaliser_finite | move=> x].
have nn : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have e2 : 0 <= eps / 2%:R by rewrite divr_ge0.
have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite eX mem_cat mem_head orbT.
have w1 : squared_norm w <= 1 by rewrite -(expr1n _ 2); apply: bY; rewrite eY mem_cat mem_head orbT.
have scoreE Z : score eps Z x = eps / 2%:R * captured (V x) (moment Z).
  by rewrite /score /average_moment capturedZ mulrACA divff// mul1r.
have split : captured (V x) (moment X) = captured (V x) (moment Y) + (captured (V x) (outer v) - captured (V x) (outer w)).
  have e : moment X = moment Y + (outer v - outer w) by rewrite eX eY -(moment_replaced s v w t) addrC subrK.
  have cN : captured (V x) (- outer w) = - captured (V x) (outer w) by rewrite -scaleN1r capturedZ mulN1r.
  by rewrite e !capturedD cN.
rewrite !scoreE -mulrBr split [captured (V x) (moment Y) + _]addrC addrK.
rewrite normrM (ger0_norm e2) -[leRHS]mulr1 ler_wpmul2l//.
have /andP[a0 a1] := captured_bounds (frame x) v1; have /andP[b0 b1] := captured_bounds (frame x) w1.
rewrite ler_norml; apply/andP; split.
  by rewrite ler_subr_addr; apply: (le_trans _ a0); rewrite addrC subr_le0.
by rewrite ler_subl_addl; apply: (le_trans a1); rewrite ler_addr.
Qed.
End ppca.

(* two directions in the plane, each of weight 1 *)
Section instance.
Variable R : realType.
Definition axis (b : bool) : 'M[R]_(2, 1) := delta_mx (if b then 0 else 1) 0.
Definition both : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of measure_add [the {measure set bool -> \bar R} of dirac true]
    [the {measure set bool -> \bar R} of dirac false]].
Theorem ppca_instance (n : nat) (eps : R) : 0 <= eps -> (0 < n)%N ->
  differentially_private (@records_replaced R 2 n) eps 0 (ppca n both axis eps).
Proof.
apply: ppca_is_private.
- have -> : both setT = (1 + 1)%:E by rewrite [both setT]measure_addE /= /dirac !indicT.
  by rewrite lte_fin ltry andbT addr_gt0.
- move=> b; rewrite /axis trmx_delta mul_delta_mx; apply/matrixP => i j; rewrite !ord1 !mxE eqxx.
  by [].
- by move=> i j _ B mB.
Qed.
End instance.
